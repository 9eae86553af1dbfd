-- Why something happened, in Chinese; null for what happened before both languages were kept.
ALTER TABLE reservation_event ADD COLUMN why_zh text;
