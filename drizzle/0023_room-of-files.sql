-- Each kept file takes 4 KiB of the quota at least.
UPDATE `forms` SET `file_bytes` = coalesce((SELECT sum(max(`bytes`, 4096)) FROM `files` WHERE `files`.`form_id` = `forms`.`id` AND `key` IS NOT NULL), 0) WHERE `file_bytes` > 0 OR EXISTS (SELECT 1 FROM `files` WHERE `files`.`form_id` = `forms`.`id`);
