-- beside: 0006

-- Sheets that the file of an import lacks and whose rows come from another: 月度汇总 from 每日统计 or 打卡时间, 每日统计 from 打卡时间.
alter table attendance.import add column stand_ins text[] not null default '{}';
