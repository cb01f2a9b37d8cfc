// Servers, their clients, and everything that goes wrong between them; one seed, one run.
#pragma once

#include "keeper.hpp"
#include "reader.hpp"
#include "session.hpp"

namespace idgen::sim {

class World {
   public:
    World(std::uint64_t seed, const Manner &manner);

    // Runs to the end of the scenario or to the first failure; so do its copies, which end with their process.
    void run();

    const Common &common() const noexcept { return stage_.common; }

   private:
    void step();
    void end();
    void pass_time();
    void limit_clocks() noexcept;
    void step_somebody();
    void step_session(int number);
    Node &node_for_clients() noexcept;
    void connect(int number);
    void step_others();
    void replicate();
    void receive(Node &receiver);
    void recover_quietly();
    void disaster();

    // Servers.
    void count_crash() noexcept;
    void crash_backend(Node &node);
    void crash_server(Node &node);
    void start(Node &node, Lsn lsn, bool keeps_readers = false);
    void fence(Node &node);
    void clone(Node &standby);
    void follow(Node &standby, const Node &source) noexcept;
    bool are_readers_lost() const noexcept;
    static void forget_readers(Node &node) noexcept;
    void promote();
    void restore();
    Node *successor() noexcept;
    bool follows_primary(const Node &node) const noexcept;
    bool is_indebted(const Node &node) const noexcept;
    bool may_be_slow(const Node &node) const noexcept;
    bool is_unprotected(const Node &node) const noexcept;
    static bool is_lowered(const Node &node, int database) noexcept;
    bool is_only_primary(const Node &node) const noexcept;
    bool loses_few_generators(const Disk &disk, Lsn lsn) const noexcept;

    // Numbers.
    void keep_numbers();
    std::int64_t longest_ahead() const noexcept;
    void step_keeper();
    void carry();
    void strike_numbers(Node &node);
    void restart_keeper(Node &node);
    void stop_numbers(Node &node);
    void leave(Node &node);
    void shut_down(Node &node);
    void copy_disk();
    void add_server(Node &node);

    void step_admin();

    // Machines.
    void copy_machines();
    enum class Origin { gone, ended_later, goes_on };
    void resume_machines(Origin origin);
    bool is_beside(const Node &node, int database, Record kind, Origin origin) const noexcept;
    void count_anew(Node &node) noexcept;
    void resume_record(Node &node, int database, Record kind, bool is_beside) noexcept;
    bool is_told_by(Node &node, int database, Record kind) const noexcept;
    void review(Node &node, int database) noexcept;
    void separate(Node &node, int database, Record kind) noexcept;
    bool may_confirm(Node &node, int database) noexcept;

    // Readers.
    void step_readers();
    void read();
    void read(Node &node, int database);
    void ask(Reader &reader, std::size_t place);
    bool ask_primary(Node &node, int database, const HeldSnapshot &query, std::int64_t &until);
    bool ask_standby(Node &node, int database, const HeldSnapshot &query, std::int64_t &until);
    void judge(Node &node, int database, const HeldSnapshot &query, std::int64_t until);
    std::int64_t any_of(const std::vector<HeldSnapshot> &held) noexcept;
    Node &source_of(Node &node) noexcept;
    void drop_readers(const Node *node, int database);
    void step_other_transaction();
    void end_prepared();

    // People.
    void meddle(Node &node);
    void count_on(Node &node, WalEntry page);
    void administer(Node &node);
    void advance(Node &node, int database);
    void reset(Node &node, int database);
    void accept_clock(Node &node);
    void change_settings();
    void misbehave(Node &node);
    void stall();

    // Databases.
    Database *enter(Node &node, int database);
    Database *find(const Node &node, int database) const noexcept;
    void begin_scope(Node &node, int database);
    void begin_anew(Node &node, int database);
    void create(Node &node, int database);
    bool may_recreate(const Node &node) const noexcept;
    void create_again(Node &node, int database);
    void take_over(Node &node);
    void try_in_debt(Node &node);
    void recreate_in_debt(Node &node);
    std::int64_t granted_elsewhere_ms(const Node &node, int database) const noexcept;
    void create_database_again(Node &node, int database);
    void begin_records(Node &node, int database, const DurableRecord &horizon, std::int64_t generator);
    void recreate(Node &node);
    void copy_primary(Node &node);
    void rename(Node &node) noexcept;
    void copy();
    void leave_origin(Node &node);
    void confirm_shards();
    // Whether the server knows what was made in a database: a session has loaded the record since the start. The floor
    // does not say so, since a slot that was given out before lifts it to the epoch of its layout.
    static bool is_remembered(const Node &node, int database) noexcept { return node.old_floors_ms[database] != 0; }
    bool is_covered(const Node &node, int database) const noexcept;
    bool has_sessions(const Node &node, int database) const noexcept;
    void disconnect(const Node &node);
    bool disconnect(const Node &node, int database);

    std::int64_t reach_ms() const noexcept {
        return stage_.settings.rules.window_ms + stage_.settings.rules.max_lead_ms;
    }
    Node &primary() noexcept { return stage_.nodes[primary_]; }
    const Node &primary() const noexcept { return stage_.nodes[primary_]; }
    Node &any_node() noexcept { return stage_.nodes[stage_.random.between(0, stage_.scenario.node_count - 1)]; }
    int any_database() noexcept {
        return static_cast<int>(stage_.random.between(0, stage_.scenario.database_count - 1));
    }
    static std::uint32_t oid_of(int database) noexcept { return static_cast<std::uint32_t>(database + 1); }
    void say(const char *what, const Node &node) const noexcept;

    Stage stage_;
    Session sessions_[max_sessions];
    Reader readers_[max_readers];
    Admin admin_;
    Keeper keepers_[max_nodes];
    std::int64_t stalled_until_[max_sessions] = {};  // in events
    std::int64_t keepers_stalled_until_ = 0;         // the same
    std::int64_t events_ = 0;
    std::int64_t copied_at_ = 0;                   // the event at which the machines were
    std::int64_t dropped_ms_[max_databases] = {};  // no ID of a dropped database was made at or above it
    std::int64_t first_lsn_ = 0;                   // from here on all databases are there
    int primary_ = 0;
    int running_ = -1;  // the session whose turn it is
    bool is_interrupted_ = false;
    int trouble_ = 0;  // events for which disasters are frequent
};

}  // namespace idgen::sim
