-- A result is some 4 kB. Made smaller on its way in, it costs the database a tenth of the whole analysis, and is made
-- large again for every download; a page holds two as they are.
alter table attendance.result set (toast_tuple_target = 8160);
-- The cards of a person are looked up like their punches.
create index identity_person on attendance.identity (import_id, user_id, work_number, name);
