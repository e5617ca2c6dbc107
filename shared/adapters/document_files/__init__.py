"""Text of uploaded files: .docx, .pdf with text, .txt, .md."""
