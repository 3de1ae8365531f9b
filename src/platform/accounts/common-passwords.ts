// These lists contain syllables, digits and words that are common in passwords in China. The position in a list is the
// rank in the strength estimate. The list of leaked passwords comes from @zxcvbn-ts/language-common.

const read = (text: string): string[] => text.trim().split(/\s+/);

export const syllables = read(`
wo ai ni li wang zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin he guo ma luo liang song zheng xie han tang
feng yu dong xiao cheng cao yuan deng fu shen zeng peng lu su jiang cai jia ding wei xue ye yan pan du dai xia zhong tian
ren fan fang shi yao liao zou xiong jin hao kong bai cui kang mao qiu qin gu hou shao meng long wan duan lei qian yin yi
chang qiao lai gong wen xiang min jing jie jun jian ping hong hui ming hua fei bo bin bing chao tao qing ling mei na juan
lan rong rui xin xing yong yue yun zhen zhi zi zhe ze ke kai kun le lian nan ning nuo qi qiang san si er ba jiu shan shu
shuai shuang tong ting wai xian xiu xuan ya ying you zhuo dan da de di dian en ga ge guang guan gui ji ju jiao ka la lang
lao lie lv man mu mi mo nai nao neng nian niu nv pei pi po qu quan rou ru sai sha shang shei sheng shou shuo sui suo tai te
ti tie tu tuo wa xi yo za zai zen zhan zhui zong zu zui zuo a bao bei ben bi bian biao bie bu can ceng cha chi chong chu
chuan chun ci cong dang dao dei diao dou dun duo fa fen fo gai gan gang gei gen gou gua guai gun ha hai hei hen heng huan
huai huo jue kan kao kuai kuan lou lun mai me mian mie miao nei nin ou pa pang pao pen piao pin qiong que ran rang rao re
reng ri sao se sen shai shui shun suan sou ta tan tou tui zang zao zha zhai zhuan zhuang zhun
`);

export const digits = read(`
520 1314 521 5201314 1314520 5211314 5200 520520 13145 52013 530 1314521 5845201314 7758521 7758258 88 888 666 168 518 998 1688
8888 6666 9999 110 119 120 114 12306 10086 10010 2008 2010 2012 2020 2021 2022 2023 2024 2025 2026 2027 123 1234 12345 123456 321
@123 @1234 @12345 @123456 #123 _123 123! 123. 1234! 123456. !@# 123!@# @520 @1314 @888 @2020 @2021 @2022 @2023 @2024 @2025 @2026 @2027
`);

export const words = read(`
woaini woaiwo woaiziji woaiwojia woaizhongguo woaiwoziji woaimama woaibaba woaibeijing iloveyou loveyou aini wode nide nihao nihaoma
buzhidao meiyoumima meiyou mima mimashi wodemima wangjimima wangji gouride caonima xiyouji sanguo sunwukong zhongguo zhonghua beijing shanghai guangzhou shenzhen tianjin
chongqing chengdu hangzhou nanjing wuhan suzhou xian qingdao dalian xiamen changsha ningbo zhengzhou jinan hefei fuzhou kunming
zhangsan lisi wangwu zhaoliu zhangwei wangwei wangfang liwei lilei hanmeimei xiaoming xiaoqiang xiaohong laoshi xuesheng
guanliyuan guanli xitong ceshi daxue xueyuan xuexiao xiaoyuan jiaoyu jiaowu jiaoshi kaoqin xuefei caiwu renshi keji gongsi
yonghu yonghuming denglu zhuanye banji tushuguan shujuku fuwuqi wangluo dianxin liantong yidong yanzheng baobei baobao laogong laopo
admin administrator root system sysadmin manager master operator user guest test tester demo temp public private secret security
server service support database backup network internet default login access account office company campus university college
school student teacher professor library report exam relay command quintet console portal
welcome changeme letmein password passwd passw pass pwd pass@word qq.com 163.com 126.com gmail.com test.com word hello world love angel money happy lucky sunny summer winter
spring autumn january february march april may june july august september october november december monday tuesday wednesday
thursday friday saturday sunday huawei h3c zte cisco lenovo dell hp ibm oracle mysql postgres redis mongo linux ubuntu centos
windows tencent weixin wechat qq alibaba taobao alipay baidu sina jingdong xiaomi tsinghua qinghua beida zheda fudan
qwe asd zxc qaz wsx edc abc abcd aaa aa qwer asdf zxcv qq
`);
