"""casebase in the tools that people use already: NLTK, spaCy, conllu, Hugging Face datasets.

Each module needs its package, and nothing else of casebase does. Estimators, taggers and hyphenators need no module for
pickle, joblib, skops and MLflow: their state is their model file.
"""
