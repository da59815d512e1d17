-- Neither table keeps what it indexes (https://sqlite.org/fts5.html#contentless_delete_tables); a rowid is a submission's id.
CREATE VIRTUAL TABLE `search_parts` USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_words` USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='ascii');
--> statement-breakpoint
-- The program merges in steps of its own, small enough for nobody to wait for.
INSERT INTO `search_parts` (`search_parts`, `rank`) VALUES ('automerge', 0), ('crisismerge', 200);
--> statement-breakpoint
INSERT INTO `search_words` (`search_words`, `rank`) VALUES ('automerge', 0), ('crisismerge', 200);
