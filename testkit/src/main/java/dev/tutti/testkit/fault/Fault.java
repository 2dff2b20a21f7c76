package dev.tutti.testkit.fault;

import java.time.Duration;

/** Something bad that happens to a cluster, as a value. */
public sealed interface Fault {
    /** Does it. */
    void strike(Victims victims);

    /** Who faults happen to. Members are meant by their number: 2 is {@code worker-2} or the member that took its place. */
    interface Victims {
        void kill(int member);

        void hang(int member);

        void resume(int member);

        /** Lets a member run for only a part of the time, so that all takes it so many times as long. */
        void slow(int member, double times);

        /** Sends a signal, such as KILL, to a server of parameters, which is meant by its number as members are. */
        void signalServer(int server, String signal);

        /** Another member comes. */
        void join();

        /** Breaks a member's connection with the coordinator, and every new one for a while. */
        void cut(int member, Duration time);

        /** Waits for a while until a member has written something to the log. */
        void await(String text);

        /** Slows every step down until a member has written something to the log. */
        void dawdle(String text);

        void killCoordinator();

        void startCoordinator();
    }

    /** kill -9. */
    record Kill(int member) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.kill(member);
        }

        @Override
        public String toString() {
            return "kill(" + member + ")";
        }
    }

    /** SIGSTOP. */
    record Hang(int member) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.hang(member);
        }

        @Override
        public String toString() {
            return "hang(" + member + ")";
        }
    }

    /** SIGCONT. */
    record Resume(int member) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.resume(member);
        }

        @Override
        public String toString() {
            return "resume(" + member + ")";
        }
    }

    /** So many times as slow from here on; 1 is its own pace again. */
    record Slow(int member, double times) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.slow(member, times);
        }

        @Override
        public String toString() {
            return "slow(" + member + ", " + times + ")";
        }
    }

    /** A signal to a server of parameters: KILL, STOP or CONT. */
    record SignalServer(int server, String signal) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.signalServer(server, signal);
        }

        @Override
        public String toString() {
            return "signal(server " + server + ", " + signal + ")";
        }
    }

    /** A late joiner. */
    record Join() implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.join();
        }

        @Override
        public String toString() {
            return "join()";
        }
    }

    /** A network that is gone for a while. */
    record Cut(int member, Duration time) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.cut(member, time);
        }

        @Override
        public String toString() {
            return "cut(" + member + ", " + time.toMillis() + ")";
        }
    }

    /** Processes that are no members do something. */
    record Strangers(String what, Runnable attack) implements Fault {
        @Override
        public void strike(Victims victims) {
            attack.run();
        }

        @Override
        public String toString() {
            return "strangers(" + what + ")";
        }
    }

    /** The network between hosts becomes another one. */
    record NetworkChange(String what, Runnable change) implements Fault {
        @Override
        public void strike(Victims victims) {
            change.run();
        }

        @Override
        public String toString() {
            return what;
        }
    }

    /** No fault, but the time for one to have its effect: goes on once this stands in the log of a member. */
    record Await(String text) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.await(text);
        }

        @Override
        public String toString() {
            return "await(" + text + ")";
        }
    }

    /** No fault either: steps come slowly from here on until this stands in the log of a member, so that it comes about in time. */
    record Dawdle(String text) implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.dawdle(text);
        }

        @Override
        public String toString() {
            return "dawdle(" + text + ")";
        }
    }

    /** kill -9 of the coordinator. */
    record KillCoordinator() implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.killCoordinator();
        }

        @Override
        public String toString() {
            return "killCoordinator()";
        }
    }

    /** A new coordinator with the journal of the old one. */
    record StartCoordinator() implements Fault {
        @Override
        public void strike(Victims victims) {
            victims.startCoordinator();
        }

        @Override
        public String toString() {
            return "startCoordinator()";
        }
    }
}
