-- Whatever was stored before may be counted wrongly: a server counts it again.
INSERT OR REPLACE INTO `server_values` (`name`, `value`) SELECT 'recount_due', '' WHERE EXISTS (SELECT 1 FROM `submissions`);
