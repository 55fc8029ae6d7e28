-- Archives that the build tools of others upload.
alter table map_uploads
  -- Hashes of the chunks of an archive that is still to be unpacked.
  add column archive_chunks bytea[],
  -- Why an archive could not be read.
  add column problem text;
create index map_uploads_packed on map_uploads (user_id) where archive_chunks is not null;

-- Chunks come before anything says to which projects they go. Whatever loses them uploads them again.
create unlogged table map_chunks (
  user_id uuid not null,
  sha1 bytea not null,
  bytes bytea not null,
  size_bytes integer not null,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (user_id, sha1)
);
alter table map_chunks alter column bytes set storage external;
create index map_chunks_created on map_chunks (created_at);
