-- What a member token may do: everything that its person may, or only read (docs/contract/command-line.md A4).
alter table member_tokens add column access text not null default 'full' check (access in ('full', 'read'));
