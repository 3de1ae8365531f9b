-- What came for an order when it was not the order's amount; null: nothing did, or just that amount.
alter table tuition_payment.pay_order add column received_fen bigint check (received_fen > 0);

-- What is given back is what came.
do $$
declare old text;
begin
  select conname into strict old from pg_constraint
  where conrelid = 'tuition_payment.pay_order'::regclass and contype = 'c'
    and pg_get_constraintdef(oid) like '%refunded_fen%';
  execute format('alter table tuition_payment.pay_order drop constraint %I', old);
end $$;
alter table tuition_payment.pay_order add constraint pay_order_refunded_fen_check
  check (refunded_fen between 0 and coalesce(received_fen, amount_fen));

create index pay_order_other_amount on tuition_payment.pay_order (id)
  where received_fen is not null and status in ('paying', 'closed');

-- Refunds that the gateway has said no to, or did not answer, the last time.
create index refund_failing on tuition_payment.refund (id) where done_at is null and failure is not null;
