-- How often a release was deleted: what processes remember of releases holds for one of these numbers.
alter table projects add column release_deletions integer not null default 0;
