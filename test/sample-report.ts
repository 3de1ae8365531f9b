export const sampleReport = (given: Record<string, unknown> = {}) => ({
  name: "测试员甲",
  phone: "555 0100 0001",
  company: "星河测试科技",
  customerName: "示例大学",
  entryName: "智慧教室",
  projectAmount: "15万元",
  tenderTime: "2027-03-15 09:30:00",
  trade: "教育",
  licensing: "是",
  bProduct: ["交换机", "服务器"],
  ...given,
});
