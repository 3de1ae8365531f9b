-- beside: 0029
-- What makes identity cards, phone numbers and secrets unreadable in the tables, where there is a data key. The first key
-- raises `beside` of this migration to itself: older programs cannot read what is sealed, so they retire.

-- The keys that may have sealed something. Of a key there is its name alone, and a text by which a wrong one is told.
create table platform.data_key (
  id text primary key,
  -- the id, sealed by the key
  proof text not null,
  since timestamptz not null default now(),
  -- the columns in which it has sealed everything, as quintet seal has found
  complete text[] not null default '{}'
);

-- Where a card is sealed, id_card has by what it is found, so that keys and joins mean what they did.
alter table tuition_payment.payable add column id_card_sealed text;

-- Where a number is sealed, phone is empty, and no keyword meets what stands for it.
alter table reporting.report add column phone_sealed text, add column phone_found text;
alter table tuition_payment.feedback add column phone_sealed text, add column phone_found text;
