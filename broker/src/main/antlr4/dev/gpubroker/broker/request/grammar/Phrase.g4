/*
 * What people say when they want GPUs, in English and Chinese: "8×A100 for 5 days from the 20th", "8卡A100 从20号开始租5天".
 *
 * A phrase is a row of clauses in any order. The grammar says only which words belong together; what they mean on a
 * calendar is worked out afterwards, since that needs a zone and a clock. The text comes in folded (PhraseText): lower
 * case, half-width, every multiplication sign the same. PhraseTokens runs between lexer and parser: it turns the longest
 * run of tokens that the catalogue knows into one MODEL, a number glued to 点 into MINUTE, a dash glued to a number into
 * MINUS, and everything it cannot place into UNKNOWN.
 *
 * To teach it a word, add the word to a token below; to teach it a turn of phrase, add an alternative. Words that carry
 * no meaning here are listed in FILLER. A word in no list is reported to the caller, never skipped.
 */
grammar Phrase;

tokens { MODEL, UNKNOWN, MINUS, MINUTE }

phrase : TO? clause* EOF ;

clause : gpus | spread | memory | form | range | start | length | noise ;

// ---- what and how many

gpus
    : nodeCount? each=count (CARDS | TIMES | DASH CARDS)* MODEL (CARDS | NODES)*    # countThenModel
    | MODEL CARDS* (variant* (TIMES | COLON) each=count CARDS* | each=count CARDS+)? # modelThenCount
    | nodeCount? each=count CARDS+                                                  # countOnly
    ;

// between a model and its count: "A100-80G*8"
variant : DASH? (memory | form) ;

// "2 nodes of", "2台", "2x" before a count of cards
nodeCount : count NODES TIMES? | count TIMES ;

// "on 2 nodes", "分2台"; without a word before it the reader asks whether the count was per node
spread : (ON | IN | FEN)? count NODES ;

memory : AT_LEAST? (MEMORY | number GB) ;

form : FORM ;

// A wrong count is parsed, so that the answer can say what is wrong with it.
count : MINUS? (number DIAN number | number | DECIMAL) ;

number : INT | YEAR | CNUM | ENUM ;

noise : A | COLON | DASH | CARDS ;

// ---- when

// "from 12.20"; without the word before it a number with a point is a wrong count
start : (FROM | ON)* moment | (FROM | ON)+ DECIMAL ;

range
    : (FROM | ON)* first=dayNumber to last=dayNumber MONTH YEAR?       # daysBeforeMonth
    | (FROM | ON)* MONTH first=dayNumber to last=dayNumber YEAR?       # daysAfterMonth
    | (FROM | ON)* number to number HAO                                # daysSharingHao
    | (FROM | ON)* month=monthWord from=number to until=number HAO     # daysOfMonthSharingHao
    | (FROM | ON)* first=DECIMAL to last=DECIMAL                       # daysWithPoints
    | (FROM | ON)* from=moment to until=moment                         # anyRange
    ;

to : TO | UNTIL | DASH | MINUS ;

moment
    : NOW                                          # now
    | IN number unit                               # later
    | number unit AFTER                            # later
    | ISO_DATE_TIME                                # isoDateTime
    | day (AT? clock OFFSET? | AT number)?         # dayThenClock
    | (AT? clock OFFSET? | AT number) (ON? day)?   # clockThenDay
    | DAY_PERIOD (AT? clock | AT number)           # halfDayThenClock
    ;

day
    : WEEKDAY date                                      # weekdayThenDate
    | date (ZHOU ZHOU? dow | WEEKDAY)?                  # dateThenWeekday
    | which YUE number HAO                              # dayOfOtherMonth
    | which MONTHS ON? dayNumber                        # dayOfOtherMonth
    | ORDINAL which MONTHS                              # dayOfOtherMonth
    | which WEEKS WEEKDAY                               # weekdayOfWeek
    | WEEKDAY which WEEKS                               # weekdayOfWeek
    | which? WEEKDAY                                    # weekday
    | which? ZHOU ZHOU? dow                             # weekday
    | which (ZHOU | WEEKS)                              # week
    | RELATIVE_DAY                                      # relativeDay
    ;

// A day of a calendar, of which a weekday said beside it must be true.
date
    : ISO_DATE                                          # isoDate
    | SLASH_DATE                                        # slashDate
    | dayNumber MONTH YEAR?                             # monthAfterDay
    | MONTH dayNumber YEAR?                             # monthBeforeDay
    | (YEAR NIAN | CN_YEAR | YEAR_WORD) monthWord number HAO?     # fullDate
    | monthWord number HAO?                             # monthDay
    | ORDINAL                                           # dayOfMonth
    | number HAO                                        # dayOfMonth
    ;

dayNumber : ORDINAL | number ;

monthWord : number YUE ;

which : NEXT NEXT? | THIS | LAST ;

dow : number | HAO | DAYS ;

clock
    : (PERIOD | NOON)? hour=number DIAN (minute=number FEN | MINUTE | HALF | KE)? ZHENG?   # chineseClock
    | (PERIOD | NOON)? CLOCK AMPM?                                        # colonClock
    | CLOCK_AMPM                                                          # gluedClock
    | number AMPM                                                         # spacedClock
    | NOON                                                                # noon
    ;

// ---- how long

// "1d 12h" is two of them, added up by the reader
length
    : MINUS? SPAN                                              # glued
    | MINUS? (number DIAN number | number | DECIMAL | A) unit HALF?   # amount
    | HALF A? unit                                             # half
    ;

unit : HOURS | DAYS | WEEKS | ZHOU | MONTHS | MINUTES ;

// ---- tokens; the longest wins, then the first

ISO_DATE_TIME : ISO_DAY [t] D D ':' D D (':' D D)? ('z' | [+\-] D D ':' D D)? ;
ISO_DATE : ISO_DAY | D D D D '/' D D? '/' D D? | D D D D '.' D D? '.' D D? ;
SLASH_DATE : D D? '/' D D? ('/' D D D D)? | D D? '.' D D? '.' D D D D ;
CLOCK_AMPM : D D? (':' D D)? [ap] 'm' ;
CLOCK : D D? ':' D D (':' D D)? ;
MEMORY : D+ ('g' | 'gb' | 'gib') ;
SPAN : (D+ ('.' D+)? SPAN_UNIT)+ ;
ORDINAL : D+ ('st' | 'nd' | 'rd' | 'th') ;
YEAR : '20' D D ;
INT : D+ ;
DECIMAL : D* '.' D+ ;

CN_YEAR : CD0 CD0 CD0 CD0 '年' ;
CNUM : CD '千' ('零'? CN99 | CD '百' ('零'? CN99)?)? | CD '百' ('零'? CN99)? | CN99 | '零' ;
ENUM : 'one' | 'two' | 'three' | 'four' | 'five' | 'six' | 'seven' | 'eight' | 'nine' | 'ten' | 'eleven' | 'twelve'
     | 'thirteen' | 'fourteen' | 'fifteen' | 'sixteen' | 'twenty' | 'thirty' | 'zero' ;

MONTH : 'jan' 'uary'? '.'? | 'feb' 'ruary'? '.'? | 'mar' 'ch'? '.'? | 'apr' 'il'? '.'? | 'may' | 'jun' 'e'? '.'? | 'jul' 'y'? '.'?
      | 'aug' 'ust'? '.'? | 'sep' ('t' | 'tember')? '.'? | 'oct' 'ober'? '.'? | 'nov' 'ember'? '.'? | 'dec' 'ember'? '.'? ;
WEEKDAY : 'mon' 'day'? | 'tue' ('s' | 'sday')? | 'wed' 'nesday'? | 'thu' ('r' | 'rs' | 'rsday')? | 'fri' 'day'? | 'sat' 'urday'? | 'sun' 'day'? ;
RELATIVE_DAY : 'today' | 'tomorrow' | 'yesterday' | 'day after tomorrow' | '今天' | '今日' | '明天' | '明日' | '后天' | '大后天' | '昨天' | '前天' ;
DAY_PERIOD : 'tonight' | '今早' | '今晚' | '明早' | '明晚' | '后天早上' | '后天晚上' ;
NOW : 'now' | 'immediately' | 'right now' | 'asap' | '现在' | '此刻' | '立即' | '立刻' | '马上' ;
NEXT : 'next' | '下' | '下个' ;
THIS : 'this' | '这' | '本' | '这个' ;
LAST : 'last' | '上' | '上个' ;
YEAR_WORD : '今年' | '明年' ;
PERIOD : '上午' | '下午' | '早上' | '早晨' | '清晨' | '凌晨' | '晚上' | '晚' | '傍晚' | '夜里' ;
AMPM : 'am' | 'pm' | 'a.m.' | 'p.m.' ;
NOON : 'noon' | '正午' | '中午' ;
OFFSET : ('utc' | 'gmt') ([+\-] D D? (':' D D)?)? | '+' D D ':' D D | 'z' | '北京时间' ; // "9:00-17:00" is a range, so a bare offset has a plus
KE : '一刻' | '三刻' ;
HALF : 'half' | '半' | '半个' ;
ZHENG : '整' ;
FROM : 'from' | 'start' | 'starts' | 'starting' | 'begin' | 'begins' | 'beginning' | 'since' | 'as of' | '从' | '自' | '自从' | '由' | '于' ;
TO : 'to' | 'through' | 'thru' | '到' | '至' | '直到' | '~' | '->' ;
UNTIL : 'until' | 'till' | 'til' ;
ON : 'on' | 'across' | 'over' | '在' | '分布在' ;
IN : 'in' ;
AT : 'at' ;
AT_LEAST : 'at least' | '至少' | '不少于' | '不低于' ;
AFTER : 'later' | '后' | '之后' | '以后' ;
A : 'a' | 'an' ;

HOURS : 'h' | 'hr' | 'hrs' | 'hour' | 'hours' | '小时' | '个小时' | '钟头' | '个钟头' ;
DAYS : 'd' | 'day' | 'days' | '天' | '整天' ;
WEEKS : 'w' | 'wk' | 'wks' | 'week' | 'weeks' | '个周' | '个星期' | '个礼拜' ;
ZHOU : '周' | '週' | '星期' | '礼拜' ;
MONTHS : 'month' | 'months' | '个月' ;
MINUTES : 'min' | 'mins' | 'minute' | 'minutes' | '分钟' ;
HAO : '号' | '號' | '日' ;
YUE : '月' | '月份' ;
NIAN : '年' ;
DIAN : '点' | '點' | '点钟' | '时' ;
FEN : '分' ;

TIMES : '×' ;
CARDS : 'gpu' | 'gpus' | 'card' | 'cards' | 'accelerator' | 'accelerators' | '卡' | '张' | '块' | '片' | '个' | '枚' | '显卡' | '个卡' | '张卡' | '块卡' ;
NODES : 'node' | 'nodes' | 'server' | 'servers' | 'machine' | 'machines' | 'host' | 'hosts' | 'box' | 'boxes' | 'instance' | 'instances'
      | '台' | '机' | '节点' | '个节点' | '节点上' | '个节点上' | '机器' | '台机器' | '台机器上' | '台服务器' | '服务器' | '台上' ;
FORM : 'sxm' D? | 'pcie' | 'pci-e' | 'nvl' | 'oam' ;
GB : 'g' | 'gb' | 'gib' ;
COLON : ':' ;
DASH : '-' ;

FILLER
    : ( 'please' | 'pls' | 'book' | 'reserve' | 'rent' | 'need' | 'want' | 'get' | 'give' | 'take' | 'me' | 'us' | 'can' | 'could' | 'you' | 'have' | 'let' | 'i' | 'we' | 'like' | 'would'
      | 'for' | 'the' | 'of' | 'with' | 'and' | 'each' | 'per' | 'vram' | 'memory'
      | '租' | '租用' | '租赁' | '订' | '预订' | '预定' | '预约' | '用' | '使用' | '要' | '需要' | '想' | '想要' | '我' | '我要' | '我想' | '我们' | '借' | '来'
      | '给' | '帮' | '帮我' | '请' | '申请' | '的' | '开始' | '起' | '起租' | '共' | '总共' | '一共' | '连续' | '为期' | '时长' | '持续' | '每卡' | '单卡'
      | '每张' | '每台' | '显存' | '为止' | '止' | '结束' | '和' | '以及'
      | '吧' | '呗' | '啊' | '呢' | '哈' | '谢谢' | '多谢' | '麻烦' | 'thanks' | 'thank you' | 'thx' )
      -> channel(HIDDEN)
    ;
PUNCTUATION : [,;.!?()[\]"'、。] -> channel(HIDDEN) ;
SPACE : [ \t\r\n\u00a0\u3000]+ -> channel(HIDDEN) ;
WORD : [a-z0-9_]+ ;
OTHER : . ;

fragment D : [0-9] ;
fragment ISO_DAY : D D D D '-' D D? '-' D D? ;
fragment SPAN_UNIT : 'h' | 'hr' | 'hrs' | 'hour' | 'hours' | 'd' | 'day' | 'days' | 'w' | 'wk' | 'week' | 'weeks' | 'm' | 'min' | 'mins' | 'month' | 'months' ;
fragment CD : [一二两俩三四五六七八九] ;
fragment CD0 : [〇零一二三四五六七八九] ;
fragment CN99 : CD? '十' CD? | CD ;
