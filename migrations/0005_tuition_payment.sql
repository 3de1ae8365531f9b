create schema tuition_payment;

-- The n-th amount belongs to the n-th name.
create table tuition_payment.payable (
  id bigint generated always as identity primary key,
  -- null: a new student, who is known by the identity card until the number comes
  student_no text,
  -- where a card is sealed, by what it is found, so that keys and joins mean what they did
  id_card text check (student_no is not null or id_card is not null),
  id_card_sealed text,
  student_name text not null,
  grade text not null,
  years text not null,
  college_name text not null default '',
  major_name text not null default '',
  class_name text not null default '',
  amount_fen bigint not null check (amount_fen > 0),
  item_names text[] not null,
  item_fen bigint[] not null check (cardinality(item_names) = cardinality(item_fen) and cardinality(item_names) > 0),
  -- until when it is asked for, unless a deferral says otherwise
  due_date date,
  -- what follows of orders and adjustments (due-store.ts); null: something is due; decision: nothing is, by adjustments
  -- for a part at least; orders: nothing is, by orders alone
  paid_by text check (paid_by in ('decision', 'orders')),
  paid_at timestamptz check ((paid_by is null) = (paid_at is null)),
  updated_at timestamptz not null default now(),
  -- what a keyword is looked for in; a keyword cannot reach from the number into the name
  search text not null generated always as (lower(coalesce(student_no, '') || E'\x01' || student_name)) stored,
  constraint payable_student_year_key unique (student_no, years)
);
create index payable_id_card on tuition_payment.payable (id_card) where id_card is not null;
-- While there is no number, card and year are the key.
create unique index payable_card_year_key on tuition_payment.payable (id_card, years) where student_no is null;
select platform.keep_changes('tuition_payment.payable', 'id', '{id, search, updated_at}', '{student_name}');

-- What changes what is due without a gateway, and why. The n-th amount belongs to the n-th name; a deferral has none.
-- A payable on which no amount stands may be deleted, so nothing refers to it.
create table tuition_payment.adjustment (
  id bigint generated always as identity primary key,
  payable_id bigint not null,
  kind text not null check (kind in ('waiver', 'loan', 'cash', 'transfer', 'decision', 'deferral')),
  item_names text[] not null check ((kind = 'deferral') = (cardinality(item_names) = 0)),
  item_fen bigint[] not null check (cardinality(item_names) = cardinality(item_fen) and 0 < all (item_fen)),
  until date check ((kind = 'deferral') = (until is not null)),
  evidence text not null,
  reason text not null default '',
  made_by text not null,
  made_at timestamptz not null default now(),
  undone_at timestamptz,
  undone_by text check ((undone_by is null) = (undone_at is null)),
  undo_reason text check ((undo_reason is null) = (undone_at is null))
);
create index adjustment_of_payable on tuition_payment.adjustment (payable_id, id);
create index adjustment_made on tuition_payment.adjustment (made_at, id);
create index adjustment_undone on tuition_payment.adjustment (undone_at, id) where undone_at is not null;
select platform.keep_changes('tuition_payment.adjustment', 'id', '{id, made_at}');

create table tuition_payment.pay_limit (
  id bigint generated always as identity primary key,
  grade text not null unique,
  grade_name text not null,
  enabled boolean not null default true
);
select platform.keep_changes('tuition_payment.pay_limit', 'id', '{id}');

create table tuition_payment.feedback (
  id bigint generated always as identity primary key,
  -- where it is sealed, by what it is found
  card_number text not null,
  card_number_sealed text,
  name text not null,
  phone text not null,
  -- where the number is sealed, phone is empty, and no keyword meets what stands for it
  phone_sealed text,
  phone_found text,
  info text not null,
  created_at timestamptz not null default now(),
  processed_at timestamptz
);
create index feedback_of_card on tuition_payment.feedback (card_number, id);
create index feedback_unprocessed on tuition_payment.feedback (id) where processed_at is null;
select platform.keep_changes('tuition_payment.feedback', 'id', '{id, created_at}', '{name}');

create table tuition_payment.pay_order (
  id bigint generated always as identity primary key,
  order_no text not null unique check (order_no ~ '^[0-9A-Za-z]{6,30}$'),
  -- where it is sealed, by what it is found; empty: whose it was is not kept any more
  card_number text not null,
  card_number_sealed text,
  -- as they were when it was ordered
  student_no text,
  student_name text not null,
  grade text not null,
  amount_fen bigint not null check (amount_fen > 0),
  status text not null default 'created' check (status in ('created', 'paying', 'paid', 'refunding', 'refunded', 'closed')),
  gateway text check (gateway in ('ccb', 'abc', 'wechat', 'alipay', 'simulated')),
  trade_no text,
  -- what pay was answered, for whoever asks again; and where the payer's browser goes in the end
  pay_answer jsonb,
  redirect_url text,
  -- SHA-256 of what stands in the link by which others may pay; null: there is none
  link_hash bytea,
  -- While a gateway is asked to take the payment no other one may be; whoever died meanwhile lets go of it in time.
  claimed_gateway text,
  claimed_until timestamptz,
  -- how often the gateway was asked since it is paying, since it is closed, or since a refund is running
  asked int not null default 0,
  -- when it is looked at again by itself; null: never
  due_at timestamptz,
  -- what came for it when that was not its amount; null: nothing did, or just that amount
  received_fen bigint check (received_fen > 0),
  -- since when that waits, or waited until somebody decided about it at the desk
  received_at timestamptz check (received_at is not null or received_fen is null or status not in ('paying', 'closed')),
  decided_at timestamptz check (decided_at is null or received_at is not null),
  decided_by text check ((decided_by is null) = (decided_at is null)),
  decided_note text check (decided_note is null or decided_at is not null),
  refunded_fen bigint not null default 0 check (refunded_fen between 0 and coalesce(received_fen, amount_fen)),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  paid_at timestamptz check (paid_at is not null or status in ('created', 'paying', 'closed')),
  closed_at timestamptz check (closed_at is not null or status <> 'closed'),
  refunded_at timestamptz,
  -- given at the first receipt
  receipt_no text unique,
  search text not null generated always as
    (lower(order_no || E'\x01' || coalesce(student_no, '') || E'\x01' || student_name)) stored,
  check (gateway is not null or status in ('created', 'closed'))
);
create index pay_order_of_card on tuition_payment.pay_order (card_number, id);
create index pay_order_of_student on tuition_payment.pay_order (student_no, id);
create index pay_order_created on tuition_payment.pay_order (created_at, id);
create unique index pay_order_link on tuition_payment.pay_order (link_hash) where link_hash is not null;
create index pay_order_due on tuition_payment.pay_order (due_at) where due_at is not null;
create index pay_order_paid on tuition_payment.pay_order (paid_at) where paid_at is not null;
create index pay_order_status on tuition_payment.pay_order (status, id) where status in ('created', 'paying', 'refunding');
create index pay_order_received on tuition_payment.pay_order (id) where received_at is not null;
select platform.keep_changes('tuition_payment.pay_order', 'order_no',
  '{id, search, pay_answer, redirect_url, link_hash, claimed_gateway, claimed_until, asked, due_at, created_at}', '{student_name}');

-- The last number of a receipt in a year. A row and not a sequence: a number that was taken back leaves no gap.
create table tuition_payment.receipt_count (
  year int primary key,
  last int not null
);

create table tuition_payment.refund (
  id bigint generated always as identity primary key,
  order_id bigint not null references tuition_payment.pay_order,
  refund_no text not null unique check (refund_no ~ '^[0-9A-Za-z]{6,30}$'),
  amount_fen bigint not null check (amount_fen > 0),
  reason text not null,
  -- what came for items that another order has paid, or holds
  is_surplus boolean not null,
  -- asked: waits for a second person; failed: the gateway has refused it for good; refused: the second person has
  status text not null check (status in ('asked', 'running', 'done', 'failed', 'refused')),
  requested_at timestamptz not null default now(),
  -- null: a rule
  asked_by text,
  decided_at timestamptz check (decided_at is not null or status <> 'refused'),
  decided_by text check ((decided_by is null) = (decided_at is null)),
  done_at timestamptz check ((done_at is not null) = (status = 'done')),
  trade_no text,
  -- what the gateway said, or that it said nothing, the last time that it did not do it; why a person refused it
  failure text,
  failed_at timestamptz check (failed_at is not null or status <> 'failed'),
  -- when a person, or the gateway after all, has ended what had failed
  ended_at timestamptz check (ended_at is null or failed_at is not null),
  ended_by text,
  note text,
  -- the failed one that this one does once more
  again_of bigint references tuition_payment.refund,
  -- by what a failed one was given back without the gateway
  evidence text check (evidence is null or (done_at is not null and ended_at is not null)),
  -- the gateway's number of a second payment of the order, '' where it has none, of which this gives back all
  second_trade text check (second_trade is null or is_surplus),
  -- until when one process alone asks for it: some banks take a number that comes twice at once for two refunds
  leased_until timestamptz
);
create unique index refund_running on tuition_payment.refund (order_id) where status in ('asked', 'running');
create index refund_of_order on tuition_payment.refund (order_id);
create index refund_done on tuition_payment.refund (done_at) where done_at is not null;
create index refund_failing on tuition_payment.refund (id) where status = 'running' and failure is not null;
create index refund_desk on tuition_payment.refund (id)
  where status = 'asked' or decided_at is not null or failed_at is not null;
select platform.keep_changes('tuition_payment.refund', 'refund_no', '{id, leased_until}');

-- A payable may be deleted once nothing of it is held or paid, so nothing refers to it.
create table tuition_payment.order_item (
  id bigint generated always as identity primary key,
  order_id bigint not null references tuition_payment.pay_order,
  payable_id bigint not null,
  years text not null,
  name text not null,
  amount_fen bigint not null check (amount_fen >= 0),
  -- free: the order is closed, or the item refunded; surplus: paid, though another order has it
  state text not null default 'held' check (state in ('held', 'paid', 'free', 'surplus')),
  refund_id bigint references tuition_payment.refund
);
create index order_item_of_order on tuition_payment.order_item (order_id);
create index order_item_of_payable on tuition_payment.order_item (payable_id);
create unique index order_item_taken on tuition_payment.order_item (payable_id, name) where state in ('held', 'paid');

create table tuition_payment.order_event (
  id bigint generated always as identity primary key,
  order_id bigint not null references tuition_payment.pay_order,
  at timestamptz not null default now(),
  from_status text,
  to_status text not null,
  by text not null
);
create index order_event_of_order on tuition_payment.order_event (order_id, id);

-- Each call to a gateway, written before it leaves.
create table tuition_payment.gateway_call (
  id bigint generated always as identity primary key,
  order_id bigint not null references tuition_payment.pay_order,
  refund_no text,
  gateway text not null,
  call text not null check (call in ('pay', 'query', 'close', 'refund', 'queryRefund')),
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text
);
create index gateway_call_of_order on tuition_payment.gateway_call (order_id, id);
create index gateway_call_of_refund on tuition_payment.gateway_call (refund_no) where refund_no is not null;

create table tuition_payment.notice (
  id bigint generated always as identity primary key,
  gateway text not null,
  order_no text not null,
  body_hash bytea not null,
  body bytea not null,
  headers jsonb not null,
  times int not null default 1,
  outcome text not null,
  received_at timestamptz not null default now(),
  unique (gateway, body_hash)
);
create index notice_of_order on tuition_payment.notice (order_no, id);

-- The ledger: what is added there stays. The lines of a posting add up to zero.
create sequence tuition_payment.posting;
create table tuition_payment.ledger (
  id bigint generated always as identity primary key,
  posting bigint not null,
  order_id bigint not null references tuition_payment.pay_order,
  refund_id bigint references tuition_payment.refund check ((what = 'payment') = (refund_id is null)),
  -- secondPayment: of an order that has been paid; refundFailed: what was owed back is the items' again
  what text not null check (what in ('payment', 'secondPayment', 'refundDue', 'refundFailed', 'refund')),
  -- gateway: money that it holds for us; tuition: paid for items, below zero; surplus: owed back to payers, below zero;
  -- hand: given back otherwise, below zero
  account text not null check (account in ('gateway', 'tuition', 'surplus', 'hand')),
  gateway text not null,
  amount_fen bigint not null check (amount_fen <> 0),
  at timestamptz not null default now()
);
create index ledger_of_posting on tuition_payment.ledger (posting);
create index ledger_moved on tuition_payment.ledger (at, id) where account not in ('tuition', 'surplus');
create unique index ledger_payment_once on tuition_payment.ledger (order_id, account) where what = 'payment';
create unique index ledger_refund_once on tuition_payment.ledger (refund_id, what, account) where what <> 'payment';
create function tuition_payment.keep_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is added to, and never changed' using errcode = 'restrict_violation';
end $$;
create trigger ledger_kept before update or delete or truncate on tuition_payment.ledger
  for each statement execute function tuition_payment.keep_ledger();
alter table tuition_payment.ledger enable always trigger ledger_kept;
-- The role that made the table may do everything with it, until it takes that from itself.
revoke update, delete, truncate on tuition_payment.ledger from current_user;
create function tuition_payment.balance_posting() returns trigger language plpgsql as $$
begin
  if (select sum(amount_fen) from tuition_payment.ledger where posting = new.posting) <> 0 then
    raise exception 'posting % of the ledger does not balance', new.posting using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_balances after insert on tuition_payment.ledger
  deferrable initially deferred for each row execute function tuition_payment.balance_posting();

create table tuition_payment.simulated_secret (
  is_one boolean primary key default true check (is_one),
  secret text not null
);

create table tuition_payment.simulated_trade (
  order_no text primary key,
  trade jsonb not null,
  paid_at timestamptz,
  last_refund_at timestamptz
);

-- What gateways say of a day, and where that differs from the orders. Amounts of refunds are below zero.
create table tuition_payment.statement (
  gateway text not null,
  day date not null,
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
  found_at timestamptz not null default now(),
  note text,
  handled_at timestamptz check ((note is null) = (handled_at is null)),
  -- null: nobody, what was asked has settled it
  handled_by text check (handled_by is null or handled_at is not null)
);
create index difference_of_day on tuition_payment.difference (gateway, day);
create index difference_unhandled on tuition_payment.difference (id) where handled_at is null;
select platform.keep_changes('tuition_payment.difference', 'id', '{id}');

-- Whether a payment that a statement, or a notice, has beside what an order was paid by is one to give back: statements
-- have more payments of the order than one and what is given back of them, or its number is not the order's.
create function tuition_payment.is_second_payment(of_gateway text, of_order_no text, of_trade_no text) returns boolean
language sql stable as $$
  select o.status in ('paid', 'refunded') and case when told.has_it
    then told.payments - 1 > (select count(*) from tuition_payment.refund
      where order_id = o.id and second_trade is not null and again_of is null and status <> 'refused')
    else of_trade_no <> o.trade_no end
  from tuition_payment.pay_order as o, lateral (
    select count(distinct trade_no) + count(*) filter (where trade_no is null) as payments,
      bool_or(trade_no is not distinct from of_trade_no) as has_it
    from tuition_payment.statement_row
    where gateway = of_gateway and order_no = of_order_no and refund_no = '') as told
  where o.order_no = of_order_no and o.gateway = of_gateway
    and (of_trade_no is null or of_trade_no is distinct from o.trade_no)
$$;

-- Everything about money that waits for a person, or waited: what says so is in the rows themselves.
create view tuition_payment.desk as
  select 'd' || d.id as id, d.type as kind, d.order_no, d.refund_no, d.gateway, d.our_fen as amount_fen,
    d.their_fen as their_fen, d.found_at as at, d.handled_at is not null as handled, d.note, d.handled_by as by,
    case when d.type = 'long' and d.refund_no = '' then tuition_payment.is_second_payment(d.gateway, d.order_no, d.trade_no)
      end is true as is_second, o.id is not null as is_known, false as is_busy, false as is_surplus
  from tuition_payment.difference as d left join tuition_payment.pay_order as o using (order_no, gateway)
  union all
  select 'r' || r.id, case when r.failed_at is null then 'refundAsked' else 'refundFailed' end, o.order_no, r.refund_no,
    o.gateway, r.amount_fen, null, coalesce(r.failed_at, r.requested_at),
    case when r.failed_at is null then r.decided_at else r.ended_at end is not null,
    case when r.failed_at is null then case when r.status = 'refused' then r.failure end else coalesce(r.note, r.evidence) end,
    case when r.failed_at is null then r.decided_by else r.ended_by end,
    false, true, o.status not in ('paid', 'refunded') or exists (
      select from tuition_payment.refund as other where other.order_id = o.id and other.id <> r.id and other.status = 'asked'),
    r.is_surplus
  from tuition_payment.refund as r join tuition_payment.pay_order as o on o.id = r.order_id
  where r.status = 'asked' or r.decided_at is not null or r.failed_at is not null
  union all
  select 'o' || id, case when coalesce(received_fen, amount_fen) = amount_fen then 'late' else 'otherAmount' end, order_no,
    '', gateway, amount_fen, coalesce(received_fen, amount_fen), received_at,
    decided_at is not null or status not in ('paying', 'closed'), decided_note, decided_by, false, true,
    exists (select from tuition_payment.refund where order_id = pay_order.id and status = 'asked'), false
  from tuition_payment.pay_order where received_at is not null;
