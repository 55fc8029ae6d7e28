-- Small raw objects of one project become one when they are half a day old (gaps of the design: small objects), because
-- a file takes up a block and an entry of the file system however little is in it.

-- Where a batch begins in an object that it shares with others; null: the object is its own.
alter table batches add column object_offset integer;
-- Whether anybody is left in a shared object. Batches with objects of their own, which all are at first, are not in it.
create index batches_merged on batches (object_key) where object_offset is not null;

-- Raw objects received before this moment were looked at; null: none yet.
alter table projects add column raw_merged_until timestamptz(3);
