// A sentence has at most 35 words: in a paragraph, in an item of a list, in a cell of a table. `code` is one word.
const { splitAST, SentenceSplitterSyntax } = require("sentence-splitter");

const most = 35;

const text = (node) => (node.type === "Code" ? "code" : node.children ? node.children.map(text).join("") : node.value || "");
const words = (sentence) => text(sentence).split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

module.exports = (context) => {
    const { Syntax, report, RuleError, locator } = context;
    const read = (node) => {
        for (const sentence of splitAST(node).children.filter((child) => child.type === SentenceSplitterSyntax.Sentence)) {
            const count = words(sentence);
            if (count > most) {
                const padding = locator.at(sentence.range[0] - node.range[0]);
                report(node, new RuleError(`${count} words in a sentence => two sentences, each of at most ${most} words`, { padding }));
            }
        }
    };
    return { [Syntax.Paragraph]: read, [Syntax.TableCell]: read };
};
