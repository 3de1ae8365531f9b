-- beside: 0026
-- Accounts that signing on by the campus has made, out of what the provider says of somebody: they follow it, and are
-- not changed by hand.
alter table platform.account add column from_sign_on boolean not null default false;
