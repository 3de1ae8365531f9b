// The baseline of the export: the spreadsheet library writes similar rows from memory, and the process reports the
// seconds to its parent.
import { writeXlsxStream } from "hucre/xlsx";

const count = Number(process.argv[2]);
const headers = Array.from({ length: 23 }, (_, index) => `列${index}`);
const distinctRows = 20_000;

// A million different rows would take gigabytes of memory; 20,000 rows, repeated, take as long to write.
const rows = Array.from({ length: distinctRows }, (_, i) => [
  i,
  "张三丰",
  `555 0100 ${String(i % 10_000).padStart(4, "0")}`,
  null,
  "虚构科技有限公司",
  `示例客户${i % 5000}`,
  `示例项目${i}`,
  `${i % 900}万元`,
  "2027-03-01 09:30:00",
  "演示数据",
  null,
  "教育",
  "是",
  null,
  "交换机; 服务器",
  null,
  null,
  "进行中",
  "正常",
  "未判定",
  null,
  "2025-03-01 09:30:00",
  "2025-03-01 09:30:00",
]);

async function* repeatRows(): AsyncGenerator<(string | number | null)[]> {
  for (let index = 0; index < count; index++) yield rows[index % distinctRows] ?? [];
}

const started = performance.now();
const stream = writeXlsxStream(repeatRows(), {
  name: "S",
  columns: headers.map((header) => ({ header, width: 14 })),
  freezePane: { rows: 1 },
  zip64: true,
});
let bytes = 0;
for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
if (bytes === 0) throw new Error("nothing was written");
process.send?.((performance.now() - started) / 1000);
