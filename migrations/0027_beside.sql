-- beside: 0026
-- Which programs may run beside the database as it is.

-- The number of the newest migration of the oldest program that may run beside a database that has had this one; null:
-- only a program that knows it may.
alter table platform.migration add column beside text;
