-- beside: 0006

-- Mail or phone of whoever runs the project, sealed where there is a data key; null: nobody is told.
alter table push_relay.project add column contact_sealed text;
