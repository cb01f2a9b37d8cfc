#include "lease/store/etcd_client.hpp"

#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

// A simple token has some 40 bytes, a signed one (JWT) up to a few thousand.
constexpr size_t longest_token = size_t{16} << 10;

enum class Verdict : uint8 { answered, no_token, denied, elsewhere };

// The numbers that gRPC gives to failures.
enum class Code : int64 { invalid = 3, not_found = 5, permission_denied = 7, precondition = 9, unauthenticated = 16 };

bool holds(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

// Makes what was said the sentence of a trouble, unless it holds the password: an etcd does not tell it, but
// whoever stands in its place may.
void repeat_words(const EtcdAddress &address, std::string_view words, Trouble &trouble) {
    bool is_told = address.password != nullptr && *address.password != '\0' && holds(words, address.password);
    put_trouble(trouble, Reply::denied,
                is_told ? "its message holds the password and is not shown" : pnstrdup(words.data(), words.size()));
}

// Judges an answer that is not 200: {"message": text, "code": number}.
Verdict judge_failure(const EtcdAddress &address, Json *json, EtcdAnswer &answer, Trouble &trouble) {
    std::string_view words = text_in(json, "message");
    if (words.empty()) {
        put_trouble(trouble, Reply::silent, "what answers there is no etcd, or one without its JSON gateway");
        return Verdict::elsewhere;
    }
    repeat_words(address, words, trouble);
    if (holds(words, "invalid auth token") || holds(words, "revision of auth store is old")) return Verdict::no_token;
    switch (static_cast<Code>(number_in(json, "code"))) {
        case Code::not_found:
            answer.is_lease_gone = holds(words, "lease");
            return answer.is_lease_gone ? Verdict::answered : Verdict::denied;
        case Code::unauthenticated:
            return Verdict::no_token;
        case Code::invalid:
        case Code::permission_denied:
        case Code::precondition:
            return Verdict::denied;
    }
    trouble.reply = Reply::silent;
    return Verdict::elsewhere;
}

// Posts to one endpoint.
Verdict ask_endpoint(EtcdClient &client, const char *path, const char *body, const Deadline &deadline,
                     EtcdAnswer &answer, Trouble &trouble) {
    const char *url = psprintf("%s/v3/%s", client.address.endpoints[client.endpoint], path);
    const char *sentence = "out of memory";
    long status = post(client.http, {url, client.token, body}, deadline, sentence);
    if (status == 0) {
        put_trouble(trouble, Reply::silent, sentence);
        return Verdict::elsewhere;
    }
    answer = {parse_json(client.http.body), client.http.date_ms, false};
    constexpr long ok = 200;
    if (status != ok) return judge_failure(client.address, answer.json, answer, trouble);
    if (answer.json != nullptr && answer.now_ms != 0) return Verdict::answered;
    put_trouble(trouble, Reply::silent, "its answer is none of an etcd, or has no date");
    return Verdict::elsewhere;
}

void go_to_next_endpoint(EtcdClient &client) noexcept {
    client.endpoint = (client.endpoint + 1) % client.address.endpoint_count;
}

// Posts to one endpoint after another, until one has an answer.
Verdict ask_endpoints(EtcdClient &client, const char *path, const char *body, const Deadline &deadline,
                      EtcdAnswer &answer, Trouble &trouble) {
    for (int left = client.address.endpoint_count; left > 0; left--) {
        Verdict verdict = ask_endpoint(client, path, body, deadline_in(left_ms(deadline) / left), answer, trouble);
        if (verdict != Verdict::elsewhere || look_around(deadline) != Wake::ready) return verdict;
        go_to_next_endpoint(client);
    }
    return Verdict::elsewhere;
}

void forget_token(EtcdClient &client) {
    if (client.token != nullptr) pfree(client.token);
    client.token = nullptr;
}

// Fetches a token. One whose users are not switched on gives none, and asks for none.
Verdict authenticate(EtcdClient &client, const Deadline &deadline, Trouble &trouble) {
    forget_token(client);
    JsonWriter body;
    body.begin_object();
    body.add("name", client.address.user);
    body.add("password", client.address.password);
    body.end_object();
    EtcdAnswer answer{};
    Verdict verdict = ask_endpoints(client, "auth/authenticate", body.print(), deadline, answer, trouble);
    if (verdict == Verdict::denied && holds(trouble.sentence, "authentication is not enabled"))
        return Verdict::answered;
    if (verdict != Verdict::answered) return verdict;
    std::string_view token = text_in(answer.json, "token");
    if (token.empty() || token.find_first_of("\r\n") != std::string_view::npos) return Verdict::answered;
    if (token.size() > longest_token) {
        go_to_next_endpoint(client);
        put_trouble(trouble, Reply::denied, no_end_there);
        return Verdict::denied;
    }
    client.token = MemoryContextStrdup(client.memory, pnstrdup(token.data(), token.size()));
    return Verdict::answered;
}

Reply reply_of(Verdict verdict, Trouble &trouble) noexcept {
    if (verdict == Verdict::answered) return Reply::answered;
    if (verdict == Verdict::no_token) trouble.reply = Reply::denied;
    return trouble.reply;
}

}  // namespace

Reply ask(EtcdClient &client, const char *path, const char *body, const Deadline &deadline, EtcdAnswer &answer,
          Trouble &trouble) {
    bool has_user = client.address.user != nullptr;
    Verdict verdict = Verdict::answered;
    bool is_new = has_user && client.token == nullptr;
    if (is_new) verdict = authenticate(client, deadline, trouble);
    if (verdict == Verdict::answered) verdict = ask_endpoints(client, path, body, deadline, answer, trouble);
    if (verdict == Verdict::no_token && has_user && !is_new) {
        verdict = authenticate(client, deadline, trouble);
        if (verdict == Verdict::answered) verdict = ask_endpoints(client, path, body, deadline, answer, trouble);
    }
    // What refuses the token may say anything, or nothing: the next call fetches another.
    if (verdict != Verdict::answered) forget_token(client);
    return reply_of(verdict, trouble);
}

}  // namespace idgen::lease
