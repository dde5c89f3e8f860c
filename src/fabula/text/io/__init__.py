"""Reading documents and records: files of many formats, folders, streams, splits."""
