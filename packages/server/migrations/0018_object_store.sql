-- The object store that belongs to this database. The store holds its id too, as an object of its own, so that a process
-- on another host, or one that was given another bucket, notices that it does not see the objects of the others.

create table object_store (
  is_only boolean primary key default true check (is_only),
  store_id uuid not null
);
