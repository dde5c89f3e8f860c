"""The grammar of time expressions: patterns over tokens, each with what it says."""
