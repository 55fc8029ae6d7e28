alter table incident_aliases
  drop constraint incident_aliases_origin_check,
  add constraint incident_aliases_origin_check check (origin in ('merge', 'slot', 'regrouping')) not valid;
