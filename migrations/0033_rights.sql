-- beside: 0026
-- Rights by service and group of operations, such as 'reporting.read'; null: all that the role has.
alter table platform.account add column rights text[];
