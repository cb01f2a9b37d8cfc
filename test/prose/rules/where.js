// "where" is for a place and "if" for a condition: of the two together at most one in three on a page is "where". A page that has
// them only once or twice is not judged.
const most = 1 / 3;
const fewest = 3;

module.exports = (context) => {
    const { Syntax, report, RuleError } = context;
    const count = { where: 0, if: 0 };
    let first;
    return {
        [Syntax.Str](node) {
            for (const [word] of node.value.matchAll(/\b([Ww]here|[Ii]f)\b/g)) {
                count[word.toLowerCase()]++;
                if (/where/i.test(word)) {
                    first = first || node;
                }
            }
        },
        [Syntax.DocumentExit]() {
            const both = count.where + count.if;
            if (both >= fewest && count.where > most * both) {
                report(first, new RuleError(`"where" ${count.where} times, "if" ${count.if} times => "if" for a condition, "when" for a time`));
            }
        },
    };
};
