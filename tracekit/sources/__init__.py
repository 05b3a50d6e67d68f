"""What can be observed: one folder or file a source, and a registry from name to factory.

registry      names to sources, imported only when one is loaded
devices       devices by name, tried before anything is loaded onto them
scripted      given rows at given times: a model by script
generator     any Python generator
pointer/      the bundled looped transformer
huggingface/  causal language models, and looped ones
"""
