#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

// Joins the lines of a message; those that begin with a tab, as libpq's advice does, are left out.
void join_lines(StringInfo out, const char *text) {
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        if (size > 0 && *text != '\t') {
            if (out->len > 0) appendStringInfoString(out, "; ");
            appendBinaryStringInfo(out, text, static_cast<int>(size));
        }
        text += size + (text[size] == '\n' ? 1 : 0);
    }
}

bool is_control(char c) noexcept {
    auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7F;
}

}  // namespace

Reply put_trouble(Trouble &trouble, Reply reply, const char *sentence) {
    StringInfoData text;
    initStringInfo(&text);
    join_lines(&text, sentence);
    bool is_text = pg_verify_mbstr(GetDatabaseEncoding(), text.data, text.len, true);
    for (int i = 0; i < text.len; i++)
        if (is_control(text.data[i]) || (!is_text && IS_HIGHBIT_SET(text.data[i]))) text.data[i] = '?';
    int size = pg_mbcliplen(text.data, text.len, sizeof(trouble.sentence) - 1);
    memcpy(trouble.sentence, text.data, static_cast<size_t>(size));
    trouble.sentence[size] = '\0';
    trouble.reply = reply;
    pfree(text.data);
    return reply;
}

Reply put_trouble(Trouble &trouble, Reply reply, const char *format, const char *word) {
    const char *hole = strstr(format, "%s");
    Assert(hole != nullptr);
    char *sentence = psprintf("%.*s%s%s", static_cast<int>(hole - format), format, word, hole + 2);
    put_trouble(trouble, reply, sentence);
    pfree(sentence);
    return reply;
}

}  // namespace idgen::lease
