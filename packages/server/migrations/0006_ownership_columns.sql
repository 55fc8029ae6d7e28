-- If the lines of a project name tags is read from the text: no statement reads this column.
alter table ownership drop column has_tags;
