-- What gateways say of a day, and where that differs from the orders. Amounts are in fen; of a refund below zero.

create table tuition_payment.statement (
  gateway text not null,
  day date not null,
  fetched_at timestamptz not null default now(),
  rows int not null,
  primary key (gateway, day)
);

create table tuition_payment.statement_row (
  gateway text not null,
  day date not null,
  order_no text not null,
  -- '' for a payment
  refund_no text not null,
  trade_no text,
  amount_fen bigint not null,
  at timestamptz not null
);
create index statement_row_of_day on tuition_payment.statement_row (gateway, day);
create index statement_row_of_order on tuition_payment.statement_row (gateway, order_no);

create table tuition_payment.difference (
  id bigint generated always as identity primary key,
  gateway text not null,
  day date not null,
  order_no text not null,
  refund_no text not null,
  trade_no text,
  our_fen bigint,
  their_fen bigint,
  type text not null check (type in ('long', 'short', 'mismatch')),
  -- what somebody has decided; null: nobody has yet
  note text,
  handled_at timestamptz,
  check ((note is null) = (handled_at is null))
);
create index difference_of_day on tuition_payment.difference (gateway, day);
create index difference_unhandled on tuition_payment.difference (id) where handled_at is null;
