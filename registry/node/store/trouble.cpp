#include "registry/node/store/trouble.hpp"

#include <algorithm>

#include "core/text/text_part.hpp"
#include "pg/host/server_locks.hpp"

namespace idgen::lease {

const char *must_end(const Deadline &deadline) {
    // Others wait for every process to pass here.
    if (ProcSignalBarrierPending) ProcessProcSignalBarrier();
    // A server is started again only when no process of the dead one is left.
    if (!PostmasterIsAlive()) proc_exit(1);
    if (is_told_to_end() && !deadline.is_last) return "the call was interrupted";
    if (pg::machine() != deadline.machine) return "this machine was resumed from a snapshot of its memory meanwhile";
    return left_ms(deadline) == 0 ? "it did not answer in time" : nullptr;
}

const char *sleep_within(int64 ms, const Deadline &deadline) {
    Deadline end = deadline_in(Min(ms, left_ms(deadline)));
    for (;;) {
        const char *sentence = must_end(deadline);
        if (sentence != nullptr || left_ms(end) == 0) return sentence;
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(left_ms(end)),
                  pg::registry_wait_event());
        ResetLatch(MyLatch);
    }
}

const char *wait_for_socket(pgsocket socket, int events, const Deadline &deadline) {
    for (;;) {
        const char *sentence = must_end(deadline);
        if (sentence != nullptr) return sentence;
        int woken_by = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH | events, socket,
                                         static_cast<long>(left_ms(deadline)), pg::registry_wait_event());
        if ((woken_by & WL_LATCH_SET) != 0) ResetLatch(MyLatch);
        if ((woken_by & events) != 0) return nullptr;
    }
}

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

struct Conversion {
    const char *utf8;
    const char *text;
};

void convert(void *argument) {
    auto *work = static_cast<Conversion *>(argument);
    work->text = pg_any_to_server(work->utf8, static_cast<int>(strlen(work->utf8)), PG_UTF8);
}

}  // namespace

Reply put_trouble(Trouble &trouble, Reply reply, const char *sentence) {
    StringInfoData text;
    initStringInfo(&text);
    join_lines(&text, sentence);
    copy_foreign_text({text.data, static_cast<size_t>(text.len)}, trouble.sentence, sizeof(trouble.sentence));
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

void copy_foreign_text(std::string_view text, char *out, size_t room) {
    size_t size = std::min(text.size(), room - 1);
    bool is_text = pg_verify_mbstr(GetDatabaseEncoding(), text.data(), static_cast<int>(text.size()), true);
    if (is_text && size < text.size())
        size = static_cast<size_t>(pg_mbcliplen(text.data(), static_cast<int>(text.size()), static_cast<int>(size)));
    bool is_utf8 = is_text && GetDatabaseEncoding() == PG_UTF8;
    char *end = out;
    for (size_t i = 0; i < size;) {
        std::string_view rest = head_of(tail_of(text, i), size - i);
        size_t control = control_size(is_utf8 ? rest : head_of(rest, 1));
        *end++ = control != 0 || (!is_text && IS_HIGHBIT_SET(text[i])) ? '?' : text[i];
        i += Max(control, 1);
    }
    *end = '\0';
}

const char *counter_text(const char *name) {
    Conversion work{name, nullptr};
    pg::attempt(convert, &work);
    if (work.text != nullptr) return work.text;
    char *text = pstrdup(name);
    for (char *at = text; *at != '\0'; at++)
        if (IS_HIGHBIT_SET(*at)) *at = '?';
    return text;
}

}  // namespace idgen::lease
