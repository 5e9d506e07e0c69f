"""The protocols of other tools: timblserver, INCEpTION, Label Studio."""
