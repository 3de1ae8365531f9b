-- What students have to pay, which grades may pay, and what students have to say.

create schema tuition_payment;

-- A student whom the campus platform has signed in; of the token only its SHA-256 is kept.
create table platform.card_session (
  token_hash bytea primary key,
  card_number text not null,
  expires_at timestamptz not null
);
create index card_session_age on platform.card_session (expires_at);

-- Amounts are in fen. The n-th amount belongs to the n-th name; an order will name a payable and a name of its items.
create table tuition_payment.payable (
  id bigint generated always as identity primary key,
  student_no text not null,
  id_card text,
  student_name text not null,
  grade text not null,
  years text not null,
  college_name text not null default '',
  major_name text not null default '',
  class_name text not null default '',
  amount_fen bigint not null check (amount_fen > 0),
  item_names text[] not null,
  item_fen bigint[] not null,
  -- null: not paid; decision: an administrator has said so; orders: every item was paid by a settled order
  paid_by text check (paid_by in ('decision', 'orders')),
  paid_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- what a keyword is looked for in; a keyword cannot reach from the number into the name
  search text not null generated always as (lower(student_no || E'\x01' || student_name)) stored,
  constraint payable_student_year_key unique (student_no, years),
  check (cardinality(item_names) = cardinality(item_fen) and cardinality(item_names) > 0),
  check ((paid_by is null) = (paid_at is null))
);
-- New students are found by their identity card.
create index payable_id_card on tuition_payment.payable (id_card) where id_card is not null;

create table tuition_payment.pay_limit (
  id bigint generated always as identity primary key,
  grade text not null unique,
  grade_name text not null,
  enabled boolean not null default true
);

create table tuition_payment.feedback (
  id bigint generated always as identity primary key,
  card_number text not null,
  name text not null,
  phone text not null,
  info text not null,
  created_at timestamptz not null default now(),
  -- null: not processed yet
  processed_at timestamptz
);
create index feedback_of_card on tuition_payment.feedback (card_number, id);
create index feedback_unprocessed on tuition_payment.feedback (id) where processed_at is null;
