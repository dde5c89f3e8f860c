"""Files of word processors, spreadsheets and readers: DOCX, ODT, RTF, PDF, XLSX, EPUB."""
