// The data is fictitious: names from two short lists, and identity cards of a region that does not exist.

const familyNames = [..."赵钱孙李周吴郑王冯陈"];
const givenNames = ["示例", "样本", "虚构", "演示", "测试", "假设", "试用", "模拟"];
const colleges = [
  ["星海学院", ["海洋技术", "船舶工程"]],
  ["远山学院", ["地质工程", "测绘工程"]],
  ["云帆学院", ["软件工程", "数据科学"]],
  ["晨光学院", ["汉语言文学", "新闻学"]],
] as const;
const grades = ["2023", "2024", "2025", "2026"];

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const pad = (number: number, length: number): string => String(number).padStart(length, "0");

export interface DemoRow {
  readonly studentNo: string;
  readonly idCard: string | null;
  readonly studentName: string;
  readonly grade: string;
  readonly years: string;
  readonly collegeName: string;
  readonly majorName: string;
  readonly className: string;
  readonly payItemDetail: string;
  readonly realPayAmount: number;
  readonly dueDate: string;
}

/** Only students of the newest grade have an identity card number, since new students sign in with it. */
function makeStudent(index: number): DemoRow {
  const grade = pick(grades, index);
  const place = Math.floor(index / grades.length);
  const [collegeName, majors] = pick(colleges, place);
  const majorName = pick(majors, Math.floor(place / colleges.length));
  const [tuition, lodging, books] = [4800 + (place % 4) * 500, 800 + (place % 3) * 200, 350.5];
  return {
    studentNo: `${grade}${pad(place + 1, 6)}`,
    idCard: grade === grades.at(-1) ? `990000${pad(20080101 + (place % 28), 8)}${pad(place % 1000, 3)}X` : null,
    studentName: pick(familyNames, index) + pick(givenNames, Math.floor(index / familyNames.length)),
    grade,
    years: "2026",
    collegeName,
    majorName,
    className: `${majorName}${grade.slice(2)}${pad((place % 6) + 1, 2)}班`,
    payItemDetail: `学费:${tuition}\\住宿费:${lodging}\\教材费:${books.toFixed(2)}`,
    realPayAmount: tuition + lodging + books,
    dueDate: grade === grades.at(-1) ? "2026-12-31" : "2026-09-30",
  };
}

export const makeStudents = (count: number): DemoRow[] =>
  Array.from({ length: count }, (_, index) => makeStudent(index));
