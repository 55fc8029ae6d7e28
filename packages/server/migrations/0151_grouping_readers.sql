-- What read the event that opened an incident, and what decided its key. Of older incidents some inputs of the key
-- were names of readers.
alter table incidents add column readers text[], add column rule text;

update incidents set
  readers = array(
    select case field when 'general_frames' then 'general_trace' else field end
    from unnest(matched_fields) as field
    where field in ('error_field', 'message_record', 'message_trace', 'general_frames')),
  rule = case
    when 'availability_check' = any (matched_fields) then 'availability_check'
    when 'resource_host' = any (matched_fields) then 'resource_address'
    when 'source_file' = any (matched_fields) then 'script_file'
    when 'http_status' = any (matched_fields) then 'request_status'
    when 'group_members' = any (matched_fields) then 'group_members'
    when 'minified_frames' = any (matched_fields) then 'minified_files'
    when 'top_frames' = any (matched_fields) then 'own_frames'
    when 'stack_lines' = any (matched_fields) then 'stack_lines'
    when 'route_template' = any (matched_fields) then 'error_route'
    when 'message_record' = any (matched_fields) then 'record_statement'
    when 'error_type' = any (matched_fields) then 'error_message'
    else 'message_template' end,
  matched_fields = array(
    select field from unnest(matched_fields) with ordinality as input (field, place)
    where field not in ('error_field', 'message_record', 'message_trace', 'general_frames', 'minified_frames')
    order by place);

alter table incidents alter column readers set not null, alter column rule set not null;
