"""The common base of all methods: answers, evidence, settings and model files."""
