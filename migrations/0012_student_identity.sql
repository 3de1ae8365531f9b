-- New students have no number yet: their payables are known by the identity card until the number comes.

alter table tuition_payment.payable
  alter column student_no drop not null,
  add constraint payable_name_check check (student_no is not null or id_card is not null),
  -- what a keyword is looked for in; a keyword cannot reach from the number into the name
  drop column search,
  add column search text not null
    generated always as (lower(coalesce(student_no, '') || E'\x01' || student_name)) stored;

-- While there is no number, card and year are the key.
create unique index payable_card_year_key on tuition_payment.payable (id_card, years) where student_no is null;
