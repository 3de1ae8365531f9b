import type { Cell, Table } from "./old-services.ts";

const table = (name: string, columns: string, ...rows: readonly Cell[][]): Table => ({
  name,
  columns: ["id int", ...columns.split(", ")],
  count: rows.length,
  rows: (n) => [n, ...(rows[n - 1] ?? [])],
});

const time = "2022-05-04 08:00:00";
const stalls = "num_of_barrier_free int, num_of_third int, num_of_man int, num_of_woman int, num_of_common int";

export const cityTables: readonly Table[] = [
  table(
    "broadcast_statistics",
    "num_of_device int, rate_of_inline double, num_of_broadcasts bigint, broadcast_duration bigint, broadcast_time",
    [12, 0.75, 340, 96, "07:00-08:30,18:00-19:00"],
  ),
  table(
    "broadcast_record",
    "title, address, broadcast_type, message_type, content text, play_time datetime, extra_file",
    ["防疫", "东湖", "日常", "通知", "请佩戴口罩", time, "1.png"],
    ["演练", "沙湖", "应急", "通知", "请撤离", null, null],
  ),
  table(
    "detection",
    "statistics_date date, people_type, detection_count bigint, abnormal_count bigint, update_time datetime",
    ["2022-05-03", "学生", 900, 1, time],
    ["2022-05-04", "学生", 950, 0, time],
  ),
  table(
    "event_plan",
    "title, start_time datetime, publish_time datetime, content text",
    ["义诊", "2022-05-20 09:00:00", time, "<p>广场</p>"],
    ["讲座", "2022-05-11 09:00:00", time, "<p>礼堂</p>"],
    ["演练", "2022-06-01 00:30:00", time, "<p>车站</p>"],
  ),
  table(
    "fever_clinic",
    "statistics_date date, hospital_name, fever_clinic_count bigint, epidemic_count bigint, update_time datetime",
    ["2022-05-03", "一医院", 80, 2, time],
    ["2022-05-04", "一医院", 30, 1, time],
    ["2022-05-04", "二医院", 45, 0, time],
  ),
  table(
    "scenic_spot",
    "scenic_spot_name, scenic_spot_desc, responsibler, responsibler_phone, num_of_emergency_crew int, num_of_emergenc_material int, image, url_of_vr",
    ["东湖 听涛", "湖边", "某人", "13800000000", 5, 40, "1.png", null],
  ),
  table("theme", "theme_name, enable", ["值班一", "2"], ["值班二", "1"]),
  table(
    "toilet",
    `name, addr_desc, level, area, ${stalls}, item_no, longitude_and_latitude, status, sort int, third_open_flag, third_open_id`,
    ["湖滨", "东湖路", "一类", "60", 1, 1, 4, 6, 0, "a1", "114.3,30.5", "1", 2, null, null],
    ["车站", "站前路", "二类", "40", 1, 0, 3, 5, 1, null, "114.4,30.6", "2", 1, null, null],
    ["公园", "园中路", "二类", "45", 1, 1, 3, 5, 0, null, "114.5,30.6", "1", 1, "t-9", "x"],
  ),
];
