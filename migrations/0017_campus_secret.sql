-- A campus application may ask for its secret with every push: what decrypts proves no sender.
alter table push_relay.campus_app add column secret_required boolean not null default false;
