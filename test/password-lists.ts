const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Passwords that are frequent in Chinese and Western leaks, with variants that administrators choose under stricter
 * rules.
 */
export const everydayPasswords = words(`
12345678 123456789 1234567890 0123456789 87654321 987654321 0987654321 11111111 00000000 88888888 66666666 99999999
12341234 11223344 11112222 123123123 123321123 12344321 147258369 147852369 741852963 789456123 159357456 321321321
5201314520 52013145 5201314a 521521521 520520520 13145201 1314520520 w5201314 a5201314 5201314woaini 20082008 19891989
19900101 19881010 19950505 20000101 20081212 13800138000 13912345678 18888888888 15012341234 110101199003078515
woaini1314 woaini520 woaini521 woaini123 woaini5201314 woaiwojia woaiwoziji woaizhongguo iloveyou1314 loveyou1314
iloveyou iloveyou1 iloveyou520 iloveyou! ILoveYou1 wangwei123 wangwei1990 zhangwei123 zhangsan123 zhangsan lisi1234
zhangwei19900101 lilei123456 hanmeimei1 liuyang888 wangfang520 wangpeng123 liwei1988 zhaoyun123 chenchen520
xiaoming123 xiaoqiang888 nihao123456 nihao1234 nihaoma123 buzhidao123 meiyoumima mima123456 mimashi123 wodemima
wangjimima zhongguo123 zhongguo2008 beijing2008 Beijing@2008 shanghai2010 guangzhou1 chengdu2024 hangzhou123
guanliyuan guanliyuan123 xitong123 ceshi123456 ceshi1234 daxue2024 xuexiao123 Xuexiao@123 jiaoyu2024 kaoqin2024
a1234567 a12345678 a123456789 aa123456 aa12345678 aaa123456 abc12345 abc123456 abc123456789 abcd1234 Abcd1234 Abcd1234!
abcd@1234 Abc@12345 Abc123456! Abc12345. Aa123456 Aa123456. Aa123456! Aa@123456 Aa12345678 AAaa1234 Aa112233 Qq123456
Qq123456. qq123456789 q1w2e3r4 q1w2e3r4t5 1q2w3e4r 1q2w3e4r5t 1q2w3e4R! 1qaz2wsx 1qaz2wsx3edc 1qaz@WSX 1QAZ2wsx! !QAZ2wsx
!QAZ@WSX zaq12wsx zaq1@WSX qazwsx123 qazwsxedc qaz123456 qweasdzxc qweasd123 qwe123456 qwe123!@# qwer1234 Qwer1234 Qwer@1234
qwerty123 qwerty12345 Qwerty123! qwertyuiop asdfghjkl asdf1234 asd123456 zxcvbnm123 zxc123456 zxcvbnm, Zxcvbnm1
1234qwer 123qweasd 123qwe!@# 123456qwe 123456abc 123456aa 123456Aa 123456789a 12345678a 1234abcd 1234!@#$ !@#$%^&* 123!@#qwe
password password1 password123 Password1 Password1! Password123 Password123! P@ssw0rd P@ssw0rd! P@ssw0rd1 P@ssw0rd123
P@$$w0rd Passw0rd Passw0rd! Passw0rd123 pa55word1 Pass@1234 Pass@word1 pass1234 passwd123 Admin123 Admin@123 Admin@1234
Admin@2024 Admin123! admin123456 admin888 admin@888 admin1234 adminadmin administrator Administrator1 Root@123 root1234
root123456 Test1234 Test@123 test123456 Welcome1 Welcome@1 Welcome123 Welcome2024! Changeme1 changeme123 letmein1 letmein123
Huawei@123 Huawei12#$ huawei123 H3c@12345 Oracle123 oracle@123 mysql123456 Cisco123 Lenovo123 Dell@1234 Zte@12345 tencent123
alibaba123 taobao123 weixin123 Server@2019 System@123 Manager1 Master123 superman1 sunshine1 princess1 football1 baseball1
monkey123 dragon123 dragon888 shadow123 michael1 jordan23 charlie1 liverpool1 starwars1 whatever1 trustno1 trustno1! Summer2024
Summer2024! Winter2023 Spring@2024 January1 Monday123 School123 Student1 Student@123 teacher123 Teacher@2024 university1
campus123 Campus@123 library1 operator1 Operator@123 quintet123 Quintet@123 qwertyui asdasd123 zxczxc123 1111aaaa aaaa1111
abcabcabc abc123abc123 110110110 119119119 Woaini@1314 Woaini1314! Zhangsan@123 Wangwei@1990 Nihao@123 Zhongguo@2024
`);

const chinese = words(`
电池 马匹 书钉 云海 柿子 雨伞 算盘 邮筒 糯米 长椅 萤火 渡船 山楂 石桥 风筝 陶罐 海棠 砚台 竹筏 蜻蜓 枕头 麦田 灯塔 蜂蜜 木屐
蓑衣 瓦片 羊毫 青苔 蒲扇 铜铃 蚕豆 毛线 雪橇 芦苇 壁炉 候鸟 酱油 琥珀 拖拉机 向日葵 电风扇 火车站 葡萄架 铅笔盒 萝卜干
`);
const pinyin = words(`
dianchi mapi shuding yunhai shizi yusan suanpan youtong nuomi changyi yinghuo duchuan shanzha shiqiao fengzheng taoguan haitang
yantai zhufa qingting zhentou maitian dengta fengmi muji suoyi wapian yanghao qingtai pushan tongling candou maoxian xueqiao
`);
const english = words(`
acorn barley cinnamon dovetail ember fjord gravel hammock inkwell juniper kestrel lantern marigold nutmeg oyster parsnip quarry
rhubarb saddle thimble umbrella velvet walnut xylophone yonder zipper anchor bramble cobalt drizzle eclipse furnace goblet
harvest igloo jigsaw kayak ladder mosaic nozzle orchard pebble quilt ribbon satchel trellis urchin violin whisker yeast zephyr
`);

/** Picks words by a fixed formula, so that every run has the same passphrases. */
const pick = (list: readonly string[], seed: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => list[(seed * 7 + at * (11 + (seed % 5))) % list.length] ?? "");

const phrasesOf = (list: readonly string[], count: number, separators: readonly string[]): string[] =>
  Array.from({ length: 67 }, (_, seed) => pick(list, seed, count).join(separators[seed % separators.length]));

export const passphrases: readonly string[] = [
  ...phrasesOf(chinese, 4, ["", " ", "，"]),
  ...phrasesOf(pinyin, 4, [" ", "-", ""]),
  ...phrasesOf(english, 4, [" ", "-", ".", ""]),
];
