// Written by `npm run generate` out of the contracts.
import type { Bilingual } from "#platform/contract/language.ts";

export const dimensions: Readonly<Record<string, Readonly<Record<string, Bilingual>> | undefined>> = {"reporting":{"trade":{"zh":"所属行业","en":"Industry"},"company":{"zh":"单位名称","en":"Organisation"}},"attendance":{"department":{"zh":"部门","en":"Department"},"groupOfCheck":{"zh":"考勤组","en":"Attendance group"}},"push-relay":{"project":{"zh":"推送项目","en":"Push project"}},"tuition-payment":{"grade":{"zh":"年级","en":"Grade"},"college":{"zh":"学院","en":"College"},"major":{"zh":"专业","en":"Major"},"className":{"zh":"班级","en":"Class"}},"disease-command":{"hospitalName":{"zh":"医院","en":"Hospital"},"itemNo":{"zh":"公厕编号","en":"Toilet number"}}};
