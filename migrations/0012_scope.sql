-- beside: 0006

-- Of each dimension that it names, such as 'trade', the values that a record must have for the account to see it; null: it sees all.
alter table platform.account add column scope jsonb;
