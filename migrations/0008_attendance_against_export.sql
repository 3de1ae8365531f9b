-- beside: 0006
-- Of a row of 每日统计, what the export itself counts of the day: 出勤天数, 上班缺卡次数, 下班缺卡次数, as "1 0 1"; "-" for a column that is not there.
alter table attendance.daily add column counted text;
-- Where the employees of the part differ from the export's own figures: [{row, figure, ours, theirs, days}].
alter table attendance.part add column differences json not null default '[]';
