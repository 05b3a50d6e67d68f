"""Models in Hugging Face's format.

causal         a language model, a row a token, on `generate` itself
looped         a looped model, a row a loop, one forward over the prompt
architectures  where each looped architecture's loops are, and how a loop's state is read
prompts        a request as token ids
settings       how text is generated
steps          what is measured at each token, inside `generate`
distribution   log probabilities, candidates and entropy of a vector of logits
rows           measurements to rows
detokenize     token ids to pieces of text
folders        which file of a folder holds the weights, and whether it may be opened
loading        model and tokenizer from a folder or a hub
    describing     what a model tells about itself for the header
    factories      what a name on the command line becomes
"""
