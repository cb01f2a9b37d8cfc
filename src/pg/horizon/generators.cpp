#include "pg/horizon/generators.hpp"

#include "pg/horizon/renew.hpp"
#include "pg/host/server_identity.hpp"

namespace idgen::pg {

Outcome renew_generator() {
    if (lacks_standbys(self.state)) return {Renewal::no_standby, 0};
    ServerView server{};
    server.identity = server_identity();
    GeneratorRenewal renewal{self.database->generators, server};
    return with_sequence(Record::generator, [&](Relation sequence) { return renew_open(renewal, sequence); });
}

void create_generators() {
    int64 taken = 0;
    if (find_shared_state() != nullptr) {
        attach_backend();
        taken = last_taken(self.database->generators);
    }
    write_first_record(Record::generator, taken);
}

}  // namespace idgen::pg
