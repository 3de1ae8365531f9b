import type { Dimensions, Places } from "#platform/contract/scope.ts";

export const dimensions: Dimensions = {
  grade: { label: { zh: "年级", en: "Grade" } },
  college: { label: { zh: "学院", en: "College" } },
  major: { label: { zh: "专业", en: "Major" } },
  className: { label: { zh: "班级", en: "Class" } },
};

export const places: Places = {
  grade: "payable.grade",
  college: "payable.college_name",
  major: "payable.major_name",
  className: "payable.class_name",
};
