-- beside: 0006

-- What the school has answered, for the student to read; null: nothing.
alter table tuition_payment.feedback add column reply text;

-- Null for statements that were compared before there were these columns.
alter table tuition_payment.statement add column compared_at timestamptz, add column matched integer;
