-- Hash of a generated file without the comments that tools add to it, by which a deployed file is compared.
alter table source_maps add column code_sha256 bytea not null default '';
alter table source_maps alter column code_sha256 drop default;
